import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySyncCore
import LatchkeySyncService

/// The versions of shared items that one app has read, by persistent reference.
///
/// The rule: the app read an item, another device changed it, and the app wrote to it without reading it again. An app may overwrite an item
/// that it never read.
struct RemoteTrail: Sendable {
    /// Nil for an item that had no version yet.
    private var read: [[UInt8]: ItemVersion?] = [:]

    mutating func read(_ versions: [[UInt8]: ItemVersion?]) {
        read.merge(versions) { $1 }
    }

    /// Notes a write. True if it replaces a version of another device that the app has not read.
    mutating func wrote(_ versions: [[UInt8]: ItemVersion?], on device: DeviceIdentifier) -> Bool {
        let isStale = versions.contains { reference, version in
            guard let version, let known = read[reference] else { return false }
            return version != known && version.device != device
        }
        // The app knows its own writes.
        for (reference, version) in versions where read[reference] != nil { read[reference] = version }
        return isStale
    }
}

/// The versions of the items that a device shares with others.
protocol SharedVersions: AnyObject, Sendable {
    var identifier: DeviceIdentifier? { get }
    /// Returns the version that is known of an item; nil if it has none.
    func version(ofItem reference: [UInt8]) -> ItemVersion?
}

extension AppWatch {
    /// Returns the versions of the shared items that a call is about; nil if the device shares none, or the call is about others.
    func sharedVersions(of request: ItemRequest) -> [[UInt8]: ItemVersion?]? {
        guard let shared = calls.shared, request.mayMeanSynchronizable else { return nil }
        let question = request.query.filter { !$0.isAbout(["r_", "m_Limit", "u_"]) }
        let limit =
            request.operation == .find
            ? request.query.first { $0.key == .string("m_Limit") }?.value ?? .string("m_LimitOne")
            : .string("m_LimitAll")
        let references = Review.references(question, limit: limit, in: keychain)
        return Dictionary(references.map { ($0, shared.version(ofItem: $0)) }) { first, _ in first }
    }

    /// Follows what the app has read of items that other devices may change.
    /// - Parameter versions: those before an update.
    func remoteChange(_ request: ItemRequest, _ reply: ItemReply, replacing versions: [[UInt8]: ItemVersion?]?) -> Flaw?
    {
        guard reply.code == .success, let device = calls.shared?.identifier else { return nil }
        switch request.operation {
        case .find where reply.result != nil:
            guard let read = sharedVersions(of: request) else { return nil }
            calls.followRemote(caller.name) { $0.read(read) }
            return nil
        case .update:
            guard let versions else { return nil }
            return calls.followRemote(caller.name) { $0.wrote(versions, on: device) }
                ? Review.assumesItemUnchanged : nil
        default: return nil
        }
    }
}
