"""The receipts agent: reads a receipt's OCR lines and fills company, date, address and total.

What it knows of receipts stands in ``harness/``; this package only carries that out. It needs nothing but
the standard library.
"""
