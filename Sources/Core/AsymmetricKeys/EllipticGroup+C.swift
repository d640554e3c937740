import LatchkeyEncoding

@_implementationOnly import CLatchkeyLibcrypto

/// A curve of libcrypto. The groups are made once and only read.
@safe struct EllipticGroup: @unchecked Sendable {
    // Sendable because libcrypto does not change a group while it computes with it.
    private let group: OpaquePointer
    private let curve: Curve

    private init(_ curve: Curve) {
        let number =
            switch curve {
            case .p192: NID_X9_62_prime192v1
            case .p224: NID_secp224r1
            case .p256: NID_X9_62_prime256v1
            case .p384: NID_secp384r1
            case .p521: NID_secp521r1
            }
        guard let group = unsafe EC_GROUP_new_by_curve_name(number) else {
            preconditionFailure("libcrypto does not know \(curve.groupName)")
        }
        unsafe self.group = unsafe group
        self.curve = curve
    }

    private static let all = Dictionary(uniqueKeysWithValues: Curve.allCases.map { ($0, EllipticGroup($0)) })

    /// Returns the group of a curve.
    static func of(_ curve: Curve) -> EllipticGroup {
        guard let group = all[curve] else { preconditionFailure("each curve has a group") }
        return group
    }

    /// The order of the group.
    var order: BigNumber {
        let order = BigNumber()
        let isCopied = unsafe BN_copy(order.pointer, EC_GROUP_get0_order(group)) != nil
        precondition(isCopied, "libcrypto has no memory for a number")
        return order
    }

    /// Converts an uncompressed or compressed point to the uncompressed form; nil if it is not a point of the curve.
    func uncompressed(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        switch unsafe (bytes.first, bytes.count) {
        case (4, curve.pointByteCount), (2, curve.coordinateByteCount + 1), (3, curve.coordinateByteCount + 1): break
        default: return nil
        }
        let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        return unsafe point { point in
            unsafe EC_POINT_oct2point(group, point, start, bytes.count, nil) == 1
        }
    }

    /// Computes the point of a private number; nil if the number is zero or not below the order.
    func point(of privateNumber: UnsafeRawBufferPointer) -> [UInt8]? {
        let number = unsafe BigNumber(unsafe privateNumber)
        guard number.bitCount > 0, unsafe BN_cmp(number.pointer, EC_GROUP_get0_order(group)) < 0 else { return nil }
        let scratch = Arithmetic()
        return unsafe point { point in
            unsafe scratch.lend { unsafe EC_POINT_mul(group, point, number.pointer, nil, nil, $0) == 1 }
        }
    }

    private func point(setBy set: (OpaquePointer) -> Bool) -> [UInt8]? {
        guard let point = unsafe EC_POINT_new(group) else { preconditionFailure("no memory left for a point") }
        defer { unsafe EC_POINT_free(point) }
        guard unsafe set(point) else {
            ERR_clear_error()
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: curve.pointByteCount)
        let count = unsafe EC_POINT_point2oct(
            group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        // The point at infinity has one byte.
        return count == bytes.count ? bytes : nil
    }
}
