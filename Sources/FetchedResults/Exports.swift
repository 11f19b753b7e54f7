// One import gives the store, the lists, and what joins them.
@_exported public import DataSources
@_exported public import SQLiteStore
