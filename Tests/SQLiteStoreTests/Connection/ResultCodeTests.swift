import CFetchedResultsSQLite
import SQLiteStore
import Testing

/// RowModel writes the numbers of SQLite's codes without its library.
@Suite struct ResultCodeTests {
  @Test func `codes and keys are printed as they are written`() {
    #expect("\(ResultCode.busy)" == "SQLITE_BUSY" && "\(ResultCode.constraintUnique)" == "SQLITE_CONSTRAINT (2067)")
    #expect("\(["item": DirtyKeys.rowIDs([1, 2])])" == #"["item": rowIDs([1, 2])]"#)
    #expect("\([DirtyKeys.everything(.overflow)])" == "[everything(overflow)]")
    #expect("\(DirtyKeys.primaryKeys([["b", 1], ["a", 2]]))" == "primaryKeys(['a', 2], ['b', 1])")
  }

  @Test(arguments: [
    (ResultCode.error, SQLITE_ERROR), (.permission, SQLITE_PERM), (.abort, SQLITE_ABORT), (.busy, SQLITE_BUSY),
    (.locked, SQLITE_LOCKED), (.noMemory, SQLITE_NOMEM), (.readOnly, SQLITE_READONLY), (.interrupt, SQLITE_INTERRUPT),
    (.ioError, SQLITE_IOERR), (.corrupt, SQLITE_CORRUPT), (.notFound, SQLITE_NOTFOUND), (.full, SQLITE_FULL),
    (.cantOpen, SQLITE_CANTOPEN), (.schema, SQLITE_SCHEMA), (.tooBig, SQLITE_TOOBIG), (.constraint, SQLITE_CONSTRAINT),
    (.mismatch, SQLITE_MISMATCH), (.misuse, SQLITE_MISUSE), (.notAuthorized, SQLITE_AUTH), (.range, SQLITE_RANGE),
    (.notADatabase, SQLITE_NOTADB),
  ])
  func `the codes are SQLite's`(code: ResultCode, number: Int32) {
    #expect(code.rawValue == number)
  }

  @Test func `the extended codes are SQLite's`() {
    let primary = ResultCode.constraint
    #expect(ResultCode.constraintUnique.rawValue == SQLITE_CONSTRAINT | 8 << 8)
    #expect(ResultCode.constraintDataType.primary == primary)
  }
}
