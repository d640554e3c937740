public import Foundation
import LatchkeyCertificates

/// Returns the fields of a certificate, each under its dotted identifier: a dictionary of label, type and value. A
/// section's value is an array of such dictionaries, whose labels are their own identifiers; dates are numbers, in
/// seconds since 2001.
///
/// - Parameters:
///   - keys: the requested identifiers; nil requests all.
///   - error: never filled.
@discardableResult
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    var wanted: Set<String>?
    if let keys {
        var names: Set<String> = []
        ObjectRuntime.forEach(in: keys) { key in
            if let key = key as? NSString { names.insert(key.wellFormed) }
        }
        wanted = names
    }
    var values: [CFString: NSDictionary] = [:]
    for field in certificate.certificate.fields where wanted?.contains(field.identifier) ?? true {
        values[NSString(string: field.identifier)] = field.entry
    }
    return values as NSDictionary
}

extension CertificateField {
    fileprivate var entry: NSDictionary {
        let (type, object) = typeAndObject
        let label = NSString(string: label)
        return unsafe [
            kSecPropertyKeyType: type, kSecPropertyKeyLabel: label, kSecPropertyKeyLocalizedLabel: label,
            kSecPropertyKeyValue: object,
        ]
    }

    private var typeAndObject: (NSString, NSObject) {
        switch value {
        case .text(let text): unsafe (kSecPropertyTypeString, NSString(string: text))
        case .data(let bytes): unsafe (kSecPropertyTypeData, NSData.copying(bytes))
        case .date(let seconds): unsafe (kSecPropertyTypeNumber, NSNumber(value: seconds))
        case .section(let fields): unsafe (kSecPropertyTypeSection, fields.map(\.nestedEntry) as NSArray)
        }
    }

    /// In a section, labels tell fields apart.
    private var nestedEntry: NSDictionary {
        let (type, object) = typeAndObject
        return unsafe [
            kSecPropertyKeyType: type, kSecPropertyKeyLabel: NSString(string: identifier),
            kSecPropertyKeyLocalizedLabel: NSString(string: label), kSecPropertyKeyValue: object,
        ]
    }
}
