internal import LatchkeySyncCore

/// An object that this device has verified before it stored it. Its signature is not looked at again.
enum StoredObject {
    static func segment(_ bytes: [UInt8]) throws(StatementFailure) -> (object: SegmentObject, sealed: SealedSegment) {
        let content = try content(of: bytes)
        let object = try SegmentObject(parsing: content)
        let header = object.header
        let sealed = SealedSegment(
            dot: header.dot, epoch: header.epoch, previous: header.previous, knows: header.knows,
            seal: ObjectSeal(hash: content.hash, byteCount: bytes.count))
        return (object, sealed)
    }

    static func head(_ bytes: [UInt8]) throws(StatementFailure) -> Head {
        let content = try content(of: bytes)
        let object = try HeadObject(parsing: content)
        return Head(
            device: object.device, number: object.number, date: object.date, body: object.body, hash: content.hash)
    }

    static func content(of bytes: [UInt8]) throws(StatementFailure) -> ObjectContent {
        do throws(ObjectFailure) {
            return try ObjectFrame(parsing: bytes).content
        } catch {
            throw .object(error)
        }
    }
}
