// One import makes the store, the lists and the controller available.
@_exported public import DataSources
@_exported public import FetchedResultsCore
@_exported public import SQLiteEngine
@_exported public import SQLiteStore
