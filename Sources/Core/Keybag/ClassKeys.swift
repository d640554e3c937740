package import LatchkeySecretMemory

/// Unwrapped class keys. The secrets are wiped when the last owner releases them.
package struct ClassKeys: Sendable {
    private var keys: [KeyClass: SecretBox] = [:]

    package init() {}

    package subscript(keyClass: KeyClass) -> SecretBox? {
        get { keys[keyClass] }
        set { keys[keyClass] = newValue }
    }

    package var classes: Set<KeyClass> { Set(keys.keys) }

    /// Drops the keys of all classes but these.
    package mutating func keep(only isKept: (KeyClass) -> Bool) {
        keys = keys.filter { isKept($0.key) }
    }

    /// Returns the keys of these classes alone.
    package func filtered(by isWanted: (KeyClass) -> Bool) -> ClassKeys {
        var filtered = self
        filtered.keep(only: isWanted)
        return filtered
    }

    /// Adds the keys that the other value has and this one lacks.
    package mutating func add(_ other: ClassKeys) {
        keys.merge(other.keys) { mine, _ in mine }
    }
}
