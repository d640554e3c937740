import Foundation
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// One call of a program: translated, put to the keychain, its answer translated back.
struct ItemCall {
    let operation: ItemOperation
    let query: NSDictionary
    var changes: NSDictionary?

    func perform(_ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        let answer: Answer
        do throws(DeviceFailure) {
            answer = unsafe try self.answer(wantsResult: result != nil)
        } catch {
            OncePerProcessLog.ofThisProcess.say("Security: \(error.description)")
            return errSecNotAvailable
        }
        let reply = answer.reply
        guard reply.code == .success, let result = unsafe result else { return reply.code.rawValue }
        guard answer.hasResult else {
            unsafe result.pointee = nil
            return errSecSuccess
        }
        guard let value = reply.result else {
            unsafe result.pointee = nil
            return errSecSuccess
        }
        do throws(ReplyTranslation.Failure) {
            unsafe result.pointee = try answer.translation.result(of: value)
            return errSecSuccess
        } catch .keyUnavailable(let status) {
            return status
        } catch {
            return errSecDecode
        }
    }

    /// The answer alone, for calls that make an item on the way.
    func reply() throws(KeyCallFailure) -> ItemReply {
        do throws(DeviceFailure) {
            return try answer(wantsResult: false).reply
        } catch {
            throw KeyCallFailure(error)
        }
    }

    /// An answer, and what is needed to make objects of it.
    private struct Answer {
        let reply: ItemReply
        let destination: KeyConnection.Destination
        let query: [QueryPair]
        var hasResult = true

        var translation: ReplyTranslation {
            ReplyTranslation(secrets: reply.secrets, destination: destination, query: query)
        }
    }

    private func answer(wantsResult: Bool) throws(DeviceFailure) -> Answer {
        var translation = QueryTranslation()
        var query = translation.pairs(of: query, as: operation == .add ? .newItem : .search)
        var hasResult = true
        if wantsResult, translation.namesIdentity, operation == .add || operation == .find {
            hasResult = IdentityAnswer.restrict(&query)
        }
        // A context counts where Apple looks for it: in the query.
        let context = translation.context
        let changes = changes.map { translation.pairs(of: $0, as: .changes) } ?? []
        var request = ItemRequest(
            operation: operation, query: query, changes: changes, wantsResult: wantsResult,
            secrets: translation.secrets)
        guard let context else {
            let keychain = try CurrentKeychain.keychain()
            return Answer(
                reply: keychain.perform(request), destination: .keychain(keychain), query: query, hasResult: hasResult)
        }
        request.interaction = context.interaction
        return Answer(
            reply: context.authenticationSession.perform(request), destination: .context(context), query: query,
            hasResult: hasResult)
    }
}
