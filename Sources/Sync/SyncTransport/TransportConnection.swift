internal import Glibc
internal import LatchkeySyncStore
internal import LatchkeyThreading

/// Questions over a link, with the failures of the link as those of a store.
struct TransportConnection: Sendable {
    private let link: any TransportLink

    /// The transport answered something that its contract does not allow.
    static let badAnswer = StoreFailure.system(EPROTO)

    init(_ link: any TransportLink) {
        self.link = link
    }

    func ask<Question: TransportQuestion>(_ question: Question) throws(StoreFailure) -> Question.Answer {
        guard let answer = try ask(question, until: nil) else { throw .unreachable(.noTransport) }
        return answer
    }

    /// Returns nil if the wait was over.
    func ask<Question: TransportQuestion>(
        _ question: Question, until end: Cancellation?
    ) throws(StoreFailure) -> Question.Answer? {
        let body: [UInt8]
        do throws(TransportLinkFailure) {
            body = try link.call(TransportCoding.encode(question), until: end)
        } catch {
            switch error {
            case .cancelled: return nil
            case .silent: throw .unreachable(.noAnswer)
            case .folderMissing: throw .unreachable(.folderMissing)
            case .unreachable: throw .unreachable(.noTransport)
            case .refused: throw .refused(.permission)
            }
        }
        let result: Result<Question.Answer, StoreFailure>
        do throws(TransportMessageFailure) {
            result = try TransportCoding.decodeAnswer(to: question, body)
        } catch {
            throw Self.badAnswer
        }
        return try result.get()
    }
}
