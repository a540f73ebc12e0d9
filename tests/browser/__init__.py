"""Tests in a real browser: pytest knows by this file that they belong together, and share one."""
