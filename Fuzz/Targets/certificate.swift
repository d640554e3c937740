import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyEncoding

/// A certificate: what is accepted comes back from its own text, its names have one normal form, and whatever is asked
/// of it has an answer. A text of certificates is tried as well.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    _ = try? Certificate.all(pem: input)
    if let name = Certificate.normalised(name: input) {
        precondition(Certificate.normalised(name: name) == name, "a name has two normal forms")
    }
    guard let certificate = try? Certificate(der: input) else { return 0 }
    guard let again = try? Certificate.all(pem: Array(certificate.pem.utf8)) else {
        preconditionFailure("the own text is refused")
    }
    precondition(again == [certificate] && certificate.der == input, "the own text says something else")
    precondition(Certificate.normalised(name: certificate.issuer) == certificate.normalisedIssuer)
    precondition(Certificate.normalised(name: certificate.subject) == certificate.normalisedSubject)
    precondition((0...2).contains(certificate.version) && (1...37).contains(certificate.serialNumber.count))
    precondition(certificate.fields.count >= 10)
    if let key = certificate.publicKey {
        precondition(key.digest == certificate.publicKeyDigest, "key and certificate have other digests")
    }
    _ = (certificate.summary, certificate.emailAddresses, certificate.subjectKeyIdentifier, certificate.isSelfSigned)
    var evaluation = TrustEvaluation(leaf: certificate, date: WallTime(secondsSince2001: certificate.notValidBefore))
    evaluation.policies = [.basicX509, .ssl(isServer: true, hostName: "example.com")]
    evaluation.intermediates = [certificate]
    evaluation.usesSystemAnchors = false
    if case .trusted = evaluation.outcome() { preconditionFailure("trusted without an anchor") }
    evaluation.anchors = [certificate]
    _ = evaluation.outcome()
    return 0
}
