// Importing the store also imports rows, values and entities.
@_exported public import RowModel
