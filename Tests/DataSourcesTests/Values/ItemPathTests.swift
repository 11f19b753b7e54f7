import DataSources
import Testing

@Suite struct ItemPathTests {
  @Test func `paths order by section first`() {
    #expect(ItemPath(section: 0, item: 9) < ItemPath(section: 1, item: 0))
    #expect(ItemPath(section: 1, item: 0) < ItemPath(section: 1, item: 1))
    #expect(!(ItemPath(section: 1, item: 1) < ItemPath(section: 1, item: 1)))
  }
}
