"""placeholder"""
TITLE = "More data than memory"
