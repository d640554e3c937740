// The names of the version before; they go with the next one (Docs/Design/017-public-names.md). Those of the older library
// of the same name stay where they are.

public import Foundation
public import Security

@available(*, deprecated, renamed: "Lockbox.Protection")
public typealias Protection = Lockbox.Protection

@available(*, deprecated, renamed: "Lockbox.Accessibility")
public typealias ProtectionClass = Lockbox.Accessibility

@available(*, deprecated, renamed: "Lockbox.Prompt")
public typealias Asking = Lockbox.Prompt

extension Lockbox.Protection {
    @available(*, deprecated, renamed: "init(_:)")
    public static func protection(_ accessibility: Lockbox.Accessibility) -> Lockbox.Protection {
        Lockbox.Protection(accessibility)
    }

    @available(*, deprecated, renamed: "init(_:accessControl:)")
    public static func accessControl(
        _ accessibility: Lockbox.Accessibility, _ flags: SecAccessControlCreateFlags
    ) -> Lockbox.Protection {
        Lockbox.Protection(accessibility, accessControl: flags)
    }
}

extension Lockbox.Prompt {
    @available(*, deprecated, renamed: "automatic")
    public static var asUsual: Lockbox.Prompt { .automatic }

    @available(*, deprecated, renamed: "never")
    public static var nobody: Lockbox.Prompt { .never }
}

extension Lockbox {
    @available(*, deprecated, renamed: "init(identifier:protection:accessGroup:isSynchronizable:)")
    public init(
        _ identifier: String? = nil, default protection: Protection, accessGroup: String? = nil,
        synchronizable: Bool = false
    ) throws(LockboxError) {
        try self.init(
            identifier: identifier, protection: protection, accessGroup: accessGroup, isSynchronizable: synchronizable)
    }

    @available(*, deprecated, renamed: "set(_:for:protection:prompt:)")
    public func set<Value: Encodable>(
        _ value: Value, for key: String, _ protection: Protection?, asking: Prompt = .automatic
    ) throws(LockboxError) {
        try set(value, for: key, protection: protection, prompt: asking)
    }

    @available(*, deprecated, renamed: "set(_:for:protection:prompt:)")
    public func set<Value: Encodable>(
        _ value: Value?, for key: String, _ protection: Protection?, asking: Prompt = .automatic
    ) throws(LockboxError) {
        try set(value, for: key, protection: protection, prompt: asking)
    }

    @available(*, deprecated, renamed: "set(_:for:prompt:)")
    public func set<Value: Encodable>(_ value: Value, for key: String, asking: Prompt) throws(LockboxError) {
        try set(value, for: key, prompt: asking)
    }

    @available(*, deprecated, renamed: "set(_:for:prompt:)")
    public func set<Value: Encodable>(_ value: Value?, for key: String, asking: Prompt) throws(LockboxError) {
        try set(value, for: key, prompt: asking)
    }

    @available(*, deprecated, renamed: "value(_:for:prompt:)")
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for key: String, asking: Prompt
    ) throws(LockboxError) -> Value? {
        try value(type, for: key, prompt: asking)
    }

    @available(*, deprecated, renamed: "string(for:prompt:)")
    public func string(for key: String, asking: Prompt) throws(LockboxError) -> String? {
        try string(for: key, prompt: asking)
    }

    @available(*, deprecated, renamed: "data(for:prompt:)")
    public func data(for key: String, asking: Prompt) throws(LockboxError) -> Data? {
        try data(for: key, prompt: asking)
    }

    @available(*, deprecated, renamed: "date(for:prompt:)")
    public func date(for key: String, asking: Prompt) throws(LockboxError) -> Date? {
        try date(for: key, prompt: asking)
    }

    @available(*, deprecated, renamed: "allKeys(prompt:)")
    public func allKeys(asking: Prompt) throws(LockboxError) -> [String] {
        try allKeys(prompt: asking)
    }

    @available(*, deprecated, renamed: "containsValue(for:)")
    public func contains(_ key: String) throws(LockboxError) -> Bool {
        try containsValue(for: key)
    }

    @available(*, deprecated, renamed: "removeValue(for:)")
    @discardableResult
    public func remove(_ key: String) throws(LockboxError) -> Bool {
        try removeValue(for: key)
    }
}
