/// A message between two processes: a body without secrets, and the secrets beside it. The contracts write and read it,
/// and the transport carries it.
package struct WireMessage: Sendable {
    package var body: [UInt8]
    package var secrets: [SecretBox]

    package init(body: [UInt8], secrets: [SecretBox] = []) {
        self.body = body
        self.secrets = secrets
    }
}
