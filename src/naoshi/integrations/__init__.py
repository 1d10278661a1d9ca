"""Naoshi's confirmations inside other people's frameworks: a file for each, loaded by name, each with an extra.

``openai_agents``, ``langgraph``, ``pydantic_ai``, ``mcp`` and ``claude_code_hook``. What is approved is done
once, by `naoshi.confirm.Effects` or `naoshi.confirm.Guard`.
"""
