/// Numbers, truth values and addresses: visible unless `privacy` says otherwise.
extension OSLogInterpolation {
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> T, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: true, privacy, align) { format.text(number()) }
    }

    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: true, privacy, align) { format.text(number()) }
    }

    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: true, privacy, align) { format.text(Double(number())) }
    }

    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: true, privacy, .none) { format.text(boolean()) }
    }

    @unsafe public mutating func appendInterpolation(
        _ pointer: @autoclosure @escaping () -> UnsafeRawPointer?, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: true, privacy, .none) { unsafe pointer().map { unsafe "\($0)" } ?? "0x0" }
    }
}

/// Texts, objects, types and errors: redacted unless `privacy` says otherwise.
extension OSLogInterpolation {
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: false, privacy, align, argumentString)
    }

    // Disfavoured: numbers describe themselves, too.
    @_disfavoredOverload
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: false, privacy, align) { value().description }
    }

    @_disfavoredOverload
    public mutating func appendInterpolation<T: CustomStringConvertible & Error>(
        _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: false, privacy, align) { value().description }
    }

    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> Any.Type, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: false, privacy, align) { String(describing: value()) }
    }

    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> any Error, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(isScalar: false, privacy, align) { String(describing: error()) }
    }
}
