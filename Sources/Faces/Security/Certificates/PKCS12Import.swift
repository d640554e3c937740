public import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyDevice
import LatchkeyEncoding
import LatchkeySecretMemory

/// Reads a PKCS#12 file. With `kSecUseDataProtectionKeychain` true among the options, its identities and their chains
/// become items.
///
/// - Parameters:
///   - options: `kSecImportExportPassphrase`, a text or data; without it the file must have been made with an empty one.
///     If items are stored, all other options are attributes of each new item: `kSecAttrAccessible`,
///     `kSecAttrAccessGroup`, `kSecAttrLabel`. `kSecImportToMemoryOnly` true stores nothing.
///   - items: receives a dictionary for each identity, with the keys `kSecImportItemIdentity`,
///     `kSecImportItemCertChain`, `kSecImportItemTrust`, `kSecImportItemKeyID` and `kSecImportItemLabel`: none if the
///     file has certificates only. Written once the file was read, even if something could not be stored.
/// - Returns: `errSecAuthFailed` for a wrong passphrase, `errSecDecode` for bytes that are not a PKCS#12 file,
///   `errSecParam` for a passphrase that is neither text nor data; the code of the first item that could not be stored.
///   Items that exist already are not errors.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let options = KeyDictionary(options)
    guard let passphrase = options.passphrase else { return errSecParam }
    // Checked before the data is copied.
    guard pkcs12_data.length <= PKCS12File.byteLimit else { return errSecDecode }
    let identities: [ImportedIdentity]
    do throws(CertificateFailure) {
        let information = try PKCS12File(pkcs12: pkcs12_data.secretBox, passphrase: passphrase)
        let certificates = information.certificates.map { SecCertificate($0) }
        identities = information.identities.map { ImportedIdentity($0, among: certificates) }
    } catch {
        return error == .wrongPassphrase ? errSecAuthFailed : errSecDecode
    }
    unsafe items.pointee = identities.map(\.item) as NSArray
    return CalledFunction.named("SecPKCS12Import") { ImportStore(options).map { $0.store(identities) } }
        ?? errSecSuccess
}

extension KeyDictionary {
    /// Nil for an option of a wrong type, and for text that is not well-formed.
    fileprivate var passphrase: SecretBox? {
        switch self["passphrase"] {
        case nil: return SecretBox(copying: [])
        case let text as NSString:
            guard var text = text.wellFormedText else { return nil }
            return text.withUTF8 { unsafe SecretBox(copying: UnsafeRawBufferPointer($0)) }
        case let data as NSData: return data.secretBox
        default: return nil
        }
    }
}

/// An identity of a file with its chain and result entry.
struct ImportedIdentity {
    let identity: SecIdentity
    /// Begins with the certificate of the identity.
    let chain: [SecCertificate]
    /// The entry of the result.
    let item: NSDictionary

    /// - Parameter certificates: those of the file, from which the chain is built.
    fileprivate init(_ found: PKCS12File.Identity, among certificates: [SecCertificate]) {
        let leaf = SecCertificate(found.certificate)
        let others = certificates.filter { $0.certificate != found.certificate }
        identity = SecIdentity(certificate: leaf, key: SecKey(found.key))
        chain = found.chain(among: others.map(\.certificate))
        var item: [CFString: Any] = [:]
        unsafe item[kSecImportItemIdentity] = identity
        unsafe item[kSecImportItemTrust] = SecTrust(
            certificates: [leaf] + others, policies: [SecPolicyCreateBasicX509()])
        unsafe item[kSecImportItemCertChain] = chain as NSArray
        unsafe item[kSecImportItemKeyID] = NSData.copying(found.key.publicKey.digest)
        unsafe item[kSecImportItemLabel] = (found.label ?? found.certificate.summary).map { NSString(string: $0) }
        self.item = item as NSDictionary
    }
}

extension PKCS12File.Identity {
    /// Builds the chain from the certificates of the file alone, as far as they go. It is not evaluated here.
    fileprivate func chain(among others: [Certificate]) -> [SecCertificate] {
        var evaluation = TrustEvaluation(
            leaf: certificate, date: WallTime(secondsSince2001: Date().timeIntervalSinceReferenceDate))
        evaluation.intermediates = others
        evaluation.usesSystemAnchors = false
        let chain =
            switch evaluation.outcome() {
            case .trusted(let chain, _), .refused(_, let chain): chain
            }
        return chain.map { SecCertificate($0) }
    }
}
