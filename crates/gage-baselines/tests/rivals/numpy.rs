//! Agreement with NumPy.
