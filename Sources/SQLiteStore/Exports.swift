// Rows, values and entities are part of the store for whoever imports it.
@_exported public import RowModel
