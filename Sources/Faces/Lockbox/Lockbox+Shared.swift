public import Foundation
public import Security

// The same for the class, whose prefix is the identifier of the main bundle.

extension Lockbox {
    private static var shared: Lockbox { Lockbox(keyPrefix: nil) }

    /// - Returns: whether it was done: never in a program without a bundle identifier.
    @discardableResult
    public static func setString(
        _ value: String?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool { shared.setString(value, forKey: key, accessibility: accessibility) }

    public static func string(forKey key: String) -> String? { shared.string(forKey: key) }

    @discardableResult
    public static func setArray(
        _ value: [String]?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool { shared.setArray(value, forKey: key, accessibility: accessibility) }

    public static func array(forKey key: String) -> [String]? { shared.array(forKey: key) }

    @discardableResult
    public static func setSet(
        _ value: Set<String>?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool { shared.setSet(value, forKey: key, accessibility: accessibility) }

    public static func set(forKey key: String) -> Set<String>? { shared.set(forKey: key) }

    @discardableResult
    public static func setDictionary(
        _ value: [String: String]?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool { shared.setDictionary(value, forKey: key, accessibility: accessibility) }

    public static func dictionary(forKey key: String) -> [String: String]? { shared.dictionary(forKey: key) }

    @discardableResult
    public static func setDate(
        _ value: Date?, forKey key: String, accessibility: CFTypeRef? = nil
    ) -> Bool { shared.setDate(value, forKey: key, accessibility: accessibility) }

    public static func date(forKey key: String) -> Date? { shared.date(forKey: key) }

    public static func data(forKey key: String) -> Data? { shared.data(forKey: key) }
}

extension Lockbox {
    // The readers as Swift 2 had them.

    @available(*, deprecated, renamed: "string(forKey:)")
    public static func stringForKey(_ key: String) -> String? { string(forKey: key) }
    @available(*, deprecated, renamed: "array(forKey:)")
    public static func arrayForKey(_ key: String) -> [String]? { array(forKey: key) }
    @available(*, deprecated, renamed: "set(forKey:)")
    public static func setForKey(_ key: String) -> Set<String>? { set(forKey: key) }
    @available(*, deprecated, renamed: "dictionary(forKey:)")
    public static func dictionaryForKey(_ key: String) -> [String: String]? { dictionary(forKey: key) }
    @available(*, deprecated, renamed: "date(forKey:)")
    public static func dateForKey(_ key: String) -> Date? { date(forKey: key) }
}
