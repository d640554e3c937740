package import LatchkeySecretMemory

/// The proofs that a connection needs. Where a file is not named, the authorities of the system count, and nothing is shown to the server.
package struct HTTPAccess: Sendable {
    /// Certificates of the authorities that may certify servers, in PEM.
    package var authorities: [UInt8]?
    /// The certificate of this device, with those between it and its authority, and its key, in PEM.
    package var certificate: [UInt8]?
    package var key: SecretBox?

    package init(authorities: [UInt8]? = nil, certificate: [UInt8]? = nil, key: SecretBox? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }
}

/// The times of connections.
package struct HTTPTimes: Sendable {
    /// The time within which a server has to go on: with the connection, the answer, or the next part of it.
    package var stallSeconds = 2
    /// The time that a call may take whose bytes keep coming.
    package var callSeconds = 30

    package init() {}
}
