package import LatchkeySecretMemory

/// Class keys in the open. The secrets are wiped when the last owner lets go of them.
package struct ClassKeys: Sendable {
    private var keys: [KeyClass: SecretBox] = [:]

    package init() {}

    package subscript(keyClass: KeyClass) -> SecretBox? {
        get { keys[keyClass] }
        set { keys[keyClass] = newValue }
    }

    package var classes: Set<KeyClass> { Set(keys.keys) }

    /// Lets go of the keys of all classes but these.
    package mutating func keep(only isKept: (KeyClass) -> Bool) {
        keys = keys.filter { isKept($0.key) }
    }

    /// The keys of these classes alone.
    package func filtered(by isWanted: (KeyClass) -> Bool) -> ClassKeys {
        var filtered = self
        filtered.keep(only: isWanted)
        return filtered
    }

    /// Takes the keys that the other one has and this one lacks.
    package mutating func add(_ other: ClassKeys) {
        keys.merge(other.keys) { mine, _ in mine }
    }
}
