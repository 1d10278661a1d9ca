"""HTML pages for people that need neither network nor script: their frame, their look, and pictures in them."""

from naoshi.pages.page import render_page
from naoshi.pages.share import bar_width, percent

__all__ = ["bar_width", "percent", "render_page"]
