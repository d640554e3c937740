package import LatchkeySecretMemory

/// One message in either direction: a body without secrets, and the secrets beside it.
package struct WireMessage: Sendable {
    package var body: [UInt8]
    package var secrets: [SecretBox]

    package init(body: [UInt8], secrets: [SecretBox] = []) {
        self.body = body
        self.secrets = secrets
    }
}
