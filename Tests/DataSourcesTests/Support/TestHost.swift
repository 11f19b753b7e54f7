import DataSourcesTestSupport
import TerminalLists

/// A strict host of lines.
typealias TestHost = StrictListHost<any LineCell>

extension StrictListHost where Cell == any LineCell {
  convenience init() { self.init { $0.line(in: LineContext()).text } }
}
