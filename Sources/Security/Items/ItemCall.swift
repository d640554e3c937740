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
        let keychain: any Keychain
        do throws(DeviceFailure) {
            keychain = try CurrentKeychain.keychain()
        } catch {
            Complaints.ofThisProcess.say("Security: \(error.description)")
            return errSecNotAvailable
        }
        let reply = unsafe keychain.perform(request(wantsResult: result != nil))
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

    private func request(wantsResult: Bool) -> ItemRequest {
        var translation = QueryTranslation()
        let query = translation.pairs(of: query)
        let changes = changes.map { translation.pairs(of: $0) } ?? []
        return ItemRequest(
            operation: operation, query: query, changes: changes, wantsResult: wantsResult,
            secrets: translation.secrets)
    }
}
