/// A request to delete keys permanently; the deletion is on disk before the answer. Blobs that are not keys of this
/// device are skipped. At most ``EnclaveLimits/keysPerBatch``.
package struct DeleteKeys: EnclaveQuestion {
    package static let numbers = [MessageNumber.keyQuestion(5)]
    package static let traits: QuestionTraits = .repeatable

    package let blobs: [[UInt8]]

    package init(_ blobs: [[UInt8]]) {
        self.blobs = blobs
    }

    package func write(to writer: inout MessageWriter) {
        writer.blobs(blobs)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(try reader.blobs())
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> KeysDeleted {
        try enclave.answer(self)
    }
}

package struct KeysDeleted: BareAnswer {
    package static let number = MessageNumber.keyAnswer(5)

    package init() {}
}
