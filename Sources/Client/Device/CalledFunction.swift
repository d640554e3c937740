/// The function of a face that a program really called, where it is not the one that the keychain's request is named
/// after: `SecKeyGeneratePair` makes a key as `SecKeyCreateRandomKey` does and may store it as `SecItemAdd` does.
/// Messages about a call name it; no decision depends on it.
package enum CalledFunction {
    /// Nil: the function is the one that the request is named after.
    @TaskLocal package static var name: String?

    /// Runs the body of a function of a face. Called by another one, it keeps the name of that.
    package static func named<Result>(_ function: String, _ body: () throws -> Result) rethrows -> Result {
        guard name == nil else { return try body() }
        return try $name.withValue(function, operation: body)
    }
}
