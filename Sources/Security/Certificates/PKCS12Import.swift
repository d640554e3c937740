public import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeySecretMemory

/// Reads a PKCS#12 file. Nothing is added to the keychain.
///
/// - Parameters:
///   - options: `kSecImportExportPassphrase`, a text or data; without it the file must have been made with an empty one.
///   - items: gets a dictionary for each identity, with the keys `kSecImportItemIdentity`, `kSecImportItemCertChain`,
///     `kSecImportItemTrust`, `kSecImportItemKeyID` and `kSecImportItemLabel`: none if the file has certificates only.
///     Written only on success.
/// - Returns: `errSecAuthFailed` for a wrong passphrase, `errSecDecode` for bytes that are no such file, `errSecParam`
///   for a passphrase that is neither text nor data.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    guard let passphrase = passphrase(of: options) else { return errSecParam }
    // Before there is a copy of it.
    guard pkcs12_data.length <= PersonalInformation.byteLimit else { return errSecDecode }
    do throws(CertificateFailure) {
        let information = try PersonalInformation(pkcs12: pkcs12_data.secretBox, passphrase: passphrase)
        let certificates = information.certificates.map { SecCertificate($0) }
        unsafe items.pointee = information.identities.map { $0.item(among: certificates) } as NSArray
        return errSecSuccess
    } catch {
        return error == .wrongPassphrase ? errSecAuthFailed : errSecDecode
    }
}

/// Nil for one of a wrong type.
private func passphrase(of options: NSDictionary) -> SecretBox? {
    var given: AnyObject?
    ObjectRuntime.forEach(in: options) { key, value in
        if unsafe (key as? NSString) == kSecImportExportPassphrase { given = value }
    }
    switch given {
    case nil: return SecretBox(copying: [])
    case let text as NSString:
        var text = text.wellFormed
        return text.withUTF8 { unsafe SecretBox(copying: UnsafeRawBufferPointer($0)) }
    case let data as NSData: return data.secretBox
    default: return nil
    }
}

extension PersonalInformation.Identity {
    /// - Parameter certificates: those of the file, of which the chain is built.
    fileprivate func item(among certificates: [SecCertificate]) -> NSDictionary {
        let leaf = SecCertificate(certificate)
        let others = certificates.filter { $0.certificate != certificate }
        let trust = SecTrust(certificates: [leaf] + others, policies: [SecPolicyCreateBasicX509()])
        var item: [CFString: Any] = [:]
        unsafe item[kSecImportItemIdentity] = SecIdentity(certificate: leaf, key: SecKey(key))
        unsafe item[kSecImportItemTrust] = trust
        unsafe item[kSecImportItemCertChain] = chain(among: others.map(\.certificate))
        unsafe item[kSecImportItemKeyID] = NSData.copying(key.publicKey.digest)
        unsafe item[kSecImportItemLabel] = (label ?? certificate.summary).map { NSString(string: $0) }
        return item as NSDictionary
    }

    /// From the certificates of the file alone, as far as they go. Whether anybody believes it, the trust says.
    private func chain(among others: [Certificate]) -> NSArray {
        var evaluation = TrustEvaluation(leaf: certificate, date: Date().timeIntervalSinceReferenceDate)
        evaluation.intermediates = others
        evaluation.usesSystemAnchors = false
        let chain =
            switch evaluation.outcome() {
            case .trusted(let chain, _), .refused(_, let chain): chain
            }
        return chain.map { SecCertificate($0) } as NSArray
    }
}
