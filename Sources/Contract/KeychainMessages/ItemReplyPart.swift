/// One of the parts in which the answer to a find comes. Its entries may name the secrets of the parts before it.
package struct ItemReplyPart: Sendable {
    package let reply: ItemReply
    /// The number of parts before it. The part 0 begins the answer anew: the search was made again after the user had
    /// authenticated.
    package let number: Int
    /// The number of secrets in the parts before it.
    package let secretsBefore: Int
    package let isLast: Bool

    /// Without further parameters it is a whole answer.
    package init(_ reply: ItemReply, number: Int = 0, secretsBefore: Int = 0, isLast: Bool = true) {
        self.reply = reply
        self.number = number
        self.secretsBefore = secretsBefore
        self.isLast = isLast
    }
}
