/// A target whose name is its own.
