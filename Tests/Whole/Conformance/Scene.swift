import Foundation
import Security
import SecurityTesting
import Testing

/// Where a row is played: an app of its own, so that rows on one device do not meet. The calls add the row's class
/// to the dictionary unless it names one, and record an issue when the answer is not the documented one.
struct Scene: Sendable {
    let device: VirtualDevice
    let app: VirtualApp
    let row: Row
    /// Unlike any other scene's on the device.
    let name: String

    init(_ row: Row, on device: VirtualDevice) throws {
        self.row = row
        self.device = device
        self.name = "com.example." + UUID().uuidString.lowercased().replacing("-", with: "")
        self.app = device.install(name)
    }

    /// The same row seen by another app.
    private init(_ scene: Scene, as app: VirtualApp) {
        self.row = scene.row
        self.device = scene.device
        self.name = scene.name
        self.app = app
    }

    func seen(by app: VirtualApp) -> Scene { Scene(self, as: app) }

    /// A dictionary with the row's class, if it names none.
    func classed(_ attributes: [CFString: Any]) -> CFDictionary {
        var all = attributes
        if all[kSecClass] == nil { all[kSecClass] = row.itemClass.value }
        return all as CFDictionary
    }

    // MARK: The four calls

    @discardableResult
    func add(
        _ attributes: [CFString: Any], gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) -> CFTypeRef? {
        addExactly(classed(attributes), gives: wanted, location)
    }

    @discardableResult
    func find(
        _ query: [CFString: Any], gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) -> CFTypeRef? {
        findExactly(classed(query), gives: wanted, location)
    }

    func update(
        _ query: [CFString: Any], _ changes: [CFString: Any], gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let status = app.run { SecItemUpdate(classed(query), changes as CFDictionary) }
        check(status, wanted, "update", location)
    }

    func delete(
        _ query: [CFString: Any], gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) {
        check(app.run { SecItemDelete(classed(query)) }, wanted, "delete", location)
    }

    /// Adds a dictionary as it is, class or not.
    @discardableResult
    func addExactly(
        _ attributes: CFDictionary, gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) -> CFTypeRef? {
        var result: CFTypeRef?
        let status = app.run { SecItemAdd(attributes, &result) }
        check(status, wanted, "add", location)
        return result
    }

    /// Finds with a dictionary as it is, class or not.
    @discardableResult
    func findExactly(
        _ query: CFDictionary, gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) -> CFTypeRef? {
        var result: CFTypeRef?
        let status = app.run { SecItemCopyMatching(query, &result) }
        check(status, wanted, "find", location)
        return result
    }

    /// Expects all four calls to refuse a dictionary with these extra pairs.
    func allRefuse(
        _ extra: [CFString: Any], gives wanted: OSStatus, _ location: SourceLocation = #_sourceLocation
    ) {
        let query = extra.merging([kSecAttrAccount: "refused"]) { first, _ in first }
        add(query, gives: wanted, location)
        find(query, gives: wanted, location)
        update(query, [kSecAttrLabel: "x"], gives: wanted, location)
        delete(query, gives: wanted, location)
    }

    // MARK: Items on the device

    /// The attributes of the one item that fits, empty with an issue if there is none.
    func attributes(of query: [CFString: Any], _ location: SourceLocation = #_sourceLocation) -> [String: Any] {
        let asking = query.merging([kSecReturnAttributes: true]) { first, _ in first }
        guard let found = find(asking, location) as? [String: Any] else {
            issue("a find of attributes gave no dictionary", location)
            return [:]
        }
        return found
    }

    func data(of query: [CFString: Any], _ location: SourceLocation = #_sourceLocation) -> Data? {
        find(query.merging([kSecReturnData: true]) { first, _ in first }, location) as? Data
    }

    func reference(of query: [CFString: Any], _ location: SourceLocation = #_sourceLocation) -> Data {
        let asking = query.merging([kSecReturnPersistentRef: true]) { first, _ in first }
        guard let found = find(asking, location) as? Data else {
            issue("a find of the persistent reference gave no data", location)
            return Data()
        }
        return found
    }

    /// Returns the number of items that fit.
    func count(_ query: [CFString: Any], _ location: SourceLocation = #_sourceLocation) -> Int {
        let asking = query.merging([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]) { first, _ in first
        }
        var result: CFTypeRef?
        let status = app.run { SecItemCopyMatching(classed(asking), &result) }
        if status == errSecItemNotFound { return 0 }
        check(status, errSecSuccess, "count", location)
        return (result as? [Any])?.count ?? -1
    }

    // MARK: Issues

    func expect(_ condition: Bool, _ what: String, _ location: SourceLocation = #_sourceLocation) {
        if !condition { issue("not so: \(what)", location) }
    }

    /// Expects a value of a result: same kind, same content.
    func expect(
        _ found: Any?, is wanted: Any?, _ what: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let found = found.map { $0 as AnyObject }
        let wanted = wanted.map { $0 as AnyObject }
        switch (found, wanted) {
        case (nil, nil): return
        case (let found?, let wanted?) where CFGetTypeID(found) == CFGetTypeID(wanted) && CFEqual(found, wanted):
            return
        default:
            issue("\(what) is \(describe(found)), not \(describe(wanted))", location)
        }
    }

    func check(_ status: OSStatus, _ wanted: OSStatus, _ call: String, _ location: SourceLocation) {
        if status != wanted { issue("\(call) gave \(describe(status)), not \(describe(wanted))", location) }
    }

    private func issue(_ text: String, _ location: SourceLocation) {
        Issue.record("\(row.testDescription): \(text) [\(device)]", sourceLocation: location)
    }

    private func describe(_ status: OSStatus) -> String {
        "\(status) (\(SecCopyErrorMessageString(status, nil).map { String($0) } ?? "no message"))"
    }

    private func describe(_ value: AnyObject?) -> String {
        guard let value else { return "nothing" }
        return "\(type(of: value)) \(String(String(describing: value).prefix(80)))"
    }
}
