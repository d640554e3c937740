import Foundation
import LatchkeyCertificates
import Security

/// A certificate that openssl made, and its key: P-256, `CN=Latchkey Test, O=Tests`, signed by itself.
enum TestCertificates {
    /// X9.63 with the private number.
    static let keyData = Data(
        base64Encoded:
            "BN72E90ZCNqSvne2nSmrGrOGv2g0Az94zmwPkQqJ8KoCUASAFmhxw+qc/ooXtcj+BIdznoQVXUl5D57nKflrtZCH/YnQD83EoWri"
            + "q06byPrqLJLUbanv9HbMjv1In2mIAw==")!
    static let certificateData = Data(
        base64Encoded:
            "MIIBpjCCAU2gAwIBAgIUb5ec7wmyE+1zoHpLzjvvIgNmh94wCgYIKoZIzj0EAwIwKDEWMBQGA1UEAwwNTGF0Y2hrZXkgVGVzdDEO"
            + "MAwGA1UECgwFVGVzdHMwIBcNMjYxMTIxMDg0NzM3WhgPMjEyNjEwMjgwODQ3MzdaMCgxFjAUBgNVBAMMDUxhdGNoa2V5IFRlc3Qx"
            + "DjAMBgNVBAoMBVRlc3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3vYT3RkI2pK+d7adKasas4a/aDQDP3jObA+RConwqgJQ"
            + "BIAWaHHD6pz+ihe1yP4Eh3OehBVdSXkPnucp+Wu1kKNTMFEwHQYDVR0OBBYEFA5A7Qybx7L4xps4conXkPsrA2JkMB8GA1UdIwQY"
            + "MBaAFA5A7Qybx7L4xps4conXkPsrA2JkMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgIeM4J888078aZAnoVBz1"
            + "b8wn5zUbvVpPiiJWqE9fK6UCIGBOqZd/zikq0/uXljGofkjCnKQ3mDboeoV8w1L8vWc/")!

    static let key = SecKeyCreateWithData(
        keyData as CFData,
        [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate] as CFDictionary, nil)!
    static let certificate = try! Certificate(der: [UInt8](certificateData))
    static let ofP256 = SecCertificate(certificate)
    static let identity = SecIdentity(certificate: ofP256, key: key)
}
