// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of AppKit, so that examples and files for it can be type-checked on Linux. Nothing here does anything.
// Written after the pages below https://developer.apple.com/documentation/appkit that are named at each declaration.
//
// Optional requirements of protocols are written as ordinary ones, as in UIKit.swift beside this file.

@_exported public import Foundation

// nsuserinterfaceitemidentifier
public struct NSUserInterfaceItemIdentifier: RawRepresentable, Hashable, Sendable {
  public var rawValue: String
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public init(rawValue: String) { self.rawValue = rawValue }
}

// nsresponder
@MainActor open class NSResponder: NSObject {
  override nonisolated public init() {}
}

// nsview, nsview/window; …/prepareforreuse(); of nsuserinterfaceitemidentification, which it adopts, identifier
open class NSView: NSResponder {
  open var window: NSWindow? { nil }
  open var identifier: NSUserInterfaceItemIdentifier?
  open func prepareForReuse() {}
}

// nswindow
open class NSWindow: NSResponder {}

// nscontrol, nscontrol/stringvalue
open class NSControl: NSView {
  open var stringValue = ""
}

// nstextfield, nstextfield/init(labelwithstring:)
open class NSTextField: NSControl {
  override nonisolated public init() {}
  public convenience init(labelWithString stringValue: String) { self.init() }
}

// nstablecellview, nstablecellview/textfield
open class NSTableCellView: NSView {
  weak open var textField: NSTextField?
}

// nstablecolumn, nstablecolumn/identifier
@MainActor open class NSTableColumn: NSObject {
  open var identifier = NSUserInterfaceItemIdentifier("")
}

// nstableviewdatasource/numberofrows(in:)
public protocol NSTableViewDataSource: NSObjectProtocol {
  @MainActor func numberOfRows(in tableView: NSTableView) -> Int
}

// nscontroltexteditingdelegate
public protocol NSControlTextEditingDelegate: NSObjectProtocol {}

// nstableviewdelegate: …/tableview(_:viewfor:row:), …/tableview(_:isgrouprow:), …/tableview(_:shouldselectrow:)
public protocol NSTableViewDelegate: NSControlTextEditingDelegate {
  @MainActor func tableView(_ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int) -> NSView?
  @MainActor func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool
  @MainActor func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool
}

// nstableview: a page below it for each member
open class NSTableView: NSControl {
  // nstableview/animationoptions
  public struct AnimationOptions: OptionSet, Sendable {
    public var rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var effectFade: AnimationOptions { AnimationOptions(rawValue: 1) }
  }
  weak open var dataSource: (any NSTableViewDataSource)?
  weak open var delegate: (any NSTableViewDelegate)?
  open var numberOfColumns: Int { 0 }
  open func makeView(withIdentifier identifier: NSUserInterfaceItemIdentifier, owner: Any?) -> NSView? { nil }
  open func reloadData() {}
  open func reloadData(forRowIndexes rowIndexes: IndexSet, columnIndexes: IndexSet) {}
  open func beginUpdates() {}
  open func endUpdates() {}
  open func insertRows(at indexes: IndexSet, withAnimation animationOptions: AnimationOptions = []) {}
  open func removeRows(at indexes: IndexSet, withAnimation animationOptions: AnimationOptions = []) {}
  open func moveRow(at oldIndex: Int, to newIndex: Int) {}
}

// nsdiffabledatasourcesnapshot-swift.struct: a page below it for each member
public struct NSDiffableDataSourceSnapshot<SectionIdentifierType: Hashable, ItemIdentifierType: Hashable> {
  public init() {}
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {}
  public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {}
  public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {}
}

// foundation/indexpath: AppKit's additions
extension IndexPath {
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  public var section: Int { self[0] }
  public var item: Int { self[1] }
}
