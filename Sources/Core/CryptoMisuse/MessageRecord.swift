/// An encrypted message, by name: enough to recognise the same message.
struct MessageRecord: Sendable {
    /// The beginnings of its text and its ciphertext.
    let text: MessageStart
    let ciphertext: MessageStart
    /// All of its text, with GCM also the tag; nil until it is finished.
    var whole: Fingerprints.Name?
}
