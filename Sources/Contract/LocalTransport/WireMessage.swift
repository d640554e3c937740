package import LatchkeySecretMemory

/// One message in either direction: a body that may be looked at, and secrets that travel beside it.
package struct WireMessage: Sendable {
    package var body: [UInt8]
    package var secrets: [SecretBox]

    package init(body: [UInt8], secrets: [SecretBox] = []) {
        self.body = body
        self.secrets = secrets
    }
}
