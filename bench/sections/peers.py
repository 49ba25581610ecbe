"""placeholder"""
TITLE = "Against installable peers"
