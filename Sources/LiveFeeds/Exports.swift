// Who serves or follows a feed has lists: their types need no import of their own.
@_exported public import DataSources
