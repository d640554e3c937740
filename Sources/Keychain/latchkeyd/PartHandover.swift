import CLatchkeyShims
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory

/// The parts of one answer on their way to a program.
///
/// The search keeps an old state of the database for the program meanwhile, so that SQLite cannot begin its log anew. A
/// program has ten seconds for each part, and two minutes for all. After that the search ends, and the program begins
/// anew when it asks for the next part.
final class PartHandover {
    private let connection: ServerConnection
    /// False if the program is not told the end of the search.
    private(set) var isAwaited = true
    /// True if the program has asked for an answer in parts.
    var isOfParts = false
    private var secondsLeft = TransportLimits.allPartsSeconds

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    /// Sends a part, and returns true when the program asks for the next one.
    func hand(over part: consuming ItemReplyPart) -> Bool {
        isAwaited = send(part) && isNextAskedFor()
        return isAwaited
    }

    /// In a function of its own: what it sends is gone while the program is waited for.
    private func send(_ part: consuming ItemReplyPart) -> Bool {
        do throws(TransportFailure) {
            try connection.send(MessageCoding.encode(part), within: TransportLimits.nextPartSeconds)
            return true
        } catch {
            return false
        }
    }

    private func isNextAskedFor() -> Bool {
        lk_wipe_stack()
        let begin = ContinuousClock.now
        defer { secondsLeft -= (ContinuousClock.now - begin) / .seconds(1) }
        do throws(TransportFailure) {
            let seconds = min(TransportLimits.nextPartSeconds, max(0, secondsLeft))
            guard let question = try connection.receive(within: seconds) else { return false }
            if case .nextPart? = try? MessageCoding.decodeRequest(body: question.body, secrets: question.secrets) {
                return true
            }
            connection.refuse(.malformed(.unreadableBody))
            return false
        } catch {
            return false
        }
    }
}
