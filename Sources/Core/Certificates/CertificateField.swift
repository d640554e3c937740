/// One line in the result of `SecCertificateCopyValues`.
package struct CertificateField: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String)
        case data([UInt8])
        case date(Double)
        case section([CertificateField])
    }

    /// The dotted object identifier; in sections also the name of a part.
    package let identifier: String
    package let label: String
    package let value: Value

    package init(identifier: String, label: String, value: Value) {
        self.identifier = identifier
        self.label = label
        self.value = value
    }
}
