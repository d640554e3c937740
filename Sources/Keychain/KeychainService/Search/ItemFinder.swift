import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// `SecItemCopyMatching` (Reference 6.4).
struct ItemFinder: Sendable {
    let store: ItemStore
    let enclaveKeys: EnclaveKeyVault
    let ended: EndedItems

    /// Returns the answer, or its last part.
    /// - Parameter deliver: takes the parts before the last one. Nil if the answer must be one.
    func find(
        _ request: ItemRequest, _ call: GuardedCall, deliver: PartDelivery? = nil
    ) throws(Setback) -> ItemReplyPart {
        let query = try request.query(for: .find, adoptedItems: call.caller.adoptedItems)
        if !query.returns.isEmpty, !request.wantsResult {
            throw .call(.param, .noPlaceForResult)
        }
        let groups = try AccessGroupChoice.searched(query, call.caller, writing: false)
        var search = try ItemSearch(store, enclaveKeys, query, groups, call, deliver: deliver)
        do throws(Setback) {
            while try !search.isComplete {
                if call.isAbandoned { throw .call(.abandoned) }
                try search.step()
            }
        } catch {
            ended.setAside(search.undecodable)
            throw error
        }
        ended.setAside(search.undecodable)
        guard search.found > 0 else {
            var absence = ended.absence(of: query, groups)
            absence.leftOut = search.leftOut
            throw .call(absence)
        }
        return search.rest
    }
}

extension CallFailure {
    /// The program went away during a search (`errSecUserCanceled`); only the log shows this failure.
    static let abandoned = CallFailure(.userCanceled)
}
