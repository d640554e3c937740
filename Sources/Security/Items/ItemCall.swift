import Device
import Foundation
import ItemModel
import KeychainMessages
import PropertyListDER

/// One call of a program: translated, put to the keychain, its answer translated back.
struct ItemCall {
    let operation: ItemOperation
    let query: NSDictionary
    var changes: NSDictionary?

    func perform(_ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        let reply: ItemReply
        do throws(DeviceFailure) {
            reply = unsafe try answer(wantsResult: result != nil)
        } catch {
            Complaints.ofThisProcess.say("Security: \(error.description)")
            return errSecNotAvailable
        }
        guard reply.code == .success, let result = unsafe result else { return reply.code.rawValue }
        guard let value = reply.result else {
            unsafe result.pointee = nil
            return errSecSuccess
        }
        do throws(ReplyTranslation.Failure) {
            unsafe result.pointee = try ReplyTranslation(secrets: reply.secrets).object(of: value)
            return errSecSuccess
        } catch {
            return errSecDecode
        }
    }

    private func answer(wantsResult: Bool) throws(DeviceFailure) -> ItemReply {
        var translation = QueryTranslation()
        let query = translation.pairs(of: query)
        // A context counts where Apple looks for it: in the query.
        let context = translation.context
        let changes = changes.map { translation.pairs(of: $0) } ?? []
        var request = ItemRequest(
            operation: operation, query: query, changes: changes, wantsResult: wantsResult,
            secrets: translation.secrets)
        guard let context else { return try CurrentKeychain.keychain().perform(request) }
        request.interaction = context.interaction
        return context.authenticationSession.perform(request)
    }
}
