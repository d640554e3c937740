/// A message that was encrypted, by name: enough to tell whether another one is the same.
struct MessageRecord: Sendable {
    /// How its text and its ciphertext begin.
    let text: MessageStart
    let ciphertext: MessageStart
    /// All of its text, with GCM also the tag; nil as long as it is not finished.
    var whole: Fingerprints.Name?
}
