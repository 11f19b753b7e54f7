// Importing the store also imports rows, values and entities.
@_exported public import RowModel

// What observing commits returns.
@_exported public import class FetchedResultsSupport.ObservationToken
