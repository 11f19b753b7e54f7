// What observing a data source returns.
@_exported public import class FetchedResultsSupport.ObservationToken
