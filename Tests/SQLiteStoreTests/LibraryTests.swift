import CSQLite
import Testing

@Suite struct LibraryTests {
  @Test func theSystemsSQLiteIsNewEnough() {
    #expect(sqlite3_libversion_number() >= 3_038_000)
  }
}
