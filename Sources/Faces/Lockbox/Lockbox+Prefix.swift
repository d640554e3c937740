public import Foundation
public import Security

// The calls of the library of the same name for Objective-C (granoff/Lockbox), and its items: programs written for it
// still build, and its values can be read. This library has another design; see Docs/Manual/Lockbox.md.

extension Lockbox {
    /// A box whose items are those of the older library: the service is the prefix, a dot and the key, and there is no
    /// account. Only the calls with `forKey` reach them.
    ///
    /// - Parameter keyPrefix: nil: the identifier of the main bundle. Without either, nothing is stored and nothing found.
    public init(keyPrefix: String? = nil) {
        self.init(prefix: keyPrefix ?? Bundle.main.bundleIdentifier ?? "")
    }

    // MARK: Strings

    /// - Parameters:
    ///   - value: nil removes what the key has.
    ///   - accessibility: one of the `kSecAttrAccessible` constants; nil: `kSecAttrAccessibleWhenUnlocked`.
    /// - Returns: whether it was done.
    @discardableResult
    public func setString(
        _ value: String?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool {
        PrefixedItem(prefix: identifier, key: key)?.store(value.map { Data($0.utf8) }, accessibility) ?? false
    }

    /// Nil if the key has no value, or no value that can be read now.
    public func string(forKey key: String) -> String? {
        PrefixedItem(prefix: identifier, key: key)?.data.flatMap { String(data: $0, encoding: .utf8) }
    }

    // MARK: Lists, which are one text with a mark between their parts

    /// - Parameter value: nil and an empty list remove what the key has. A part that has the mark in it comes back as two.
    @discardableResult
    public func setArray(
        _ value: [String]?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool {
        let text = value.flatMap { $0.isEmpty ? nil : $0.joined(separator: PrefixedItem.mark) }
        return setString(text, forKey: key, accessibility: accessibility)
    }

    public func array(forKey key: String) -> [String]? {
        string(forKey: key)?.components(separatedBy: PrefixedItem.mark)
    }

    @discardableResult
    public func setSet(
        _ value: Set<String>?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool {
        setArray(value.map { Array($0) }, forKey: key, accessibility: accessibility)
    }

    public func set(forKey key: String) -> Set<String>? {
        array(forKey: key).map { Set($0) }
    }

    /// All keys, and behind them all values.
    @discardableResult
    public func setDictionary(
        _ value: [String: String]?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool {
        setArray(value.map { Array($0.keys) + Array($0.values) }, forKey: key, accessibility: accessibility)
    }

    public func dictionary(forKey key: String) -> [String: String]? {
        guard let parts = array(forKey: key), parts.count.isMultiple(of: 2) else { return nil }
        return Dictionary(zip(parts.prefix(parts.count / 2), parts.suffix(parts.count / 2))) { $1 }
    }

    // MARK: Dates, which are the text of a number: seconds since 2001

    @discardableResult
    public func setDate(
        _ value: Date?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool {
        setString(
            value.map { String($0.timeIntervalSinceReferenceDate) }, forKey: key, accessibility: accessibility)
    }

    /// A text that is not a number is read as zero, as in the older library.
    public func date(forKey key: String) -> Date? {
        string(forKey: key).map { Date(timeIntervalSinceReferenceDate: NSString(string: $0).doubleValue) }
    }

    // MARK: Archives

    /// The bytes of a value: a keyed archive if it was stored with `archiveObject`. Nothing here decodes it: Foundation
    /// on Linux ends the program if an archive names a class that it does not expect.
    public func data(forKey key: String) -> Data? {
        PrefixedItem(prefix: identifier, key: key)?.data
    }
}
