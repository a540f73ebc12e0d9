"""Tests in a real browser; this file makes them a package for pytest, so that they share one."""
