import LatchkeyAccessControl
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@testable import LatchkeyEnclaveContract

@Suite("Questions to the enclave") struct EnclaveQuestionTests {
    @Test("have numbers of their own, and samples with each of them") func numbers() {
        let numbers = EnclaveQuestions.all.flatMap { $0.numbers }
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(MailboxSamples.questions.map(\.number)) == Set(numbers))
    }

    @Test("have samples of all their answers") func samples() {
        let sampled = Set(MailboxSamples.answers.map { ObjectIdentifier(type(of: $0)) })
        for type in EnclaveQuestions.all {
            #expect(sampled.contains(Self.identifier(ofAnswerTo: type)), "\(type)")
        }
    }

    private static func identifier<Question: EnclaveQuestion>(ofAnswerTo type: Question.Type) -> ObjectIdentifier {
        ObjectIdentifier(Question.Answer.self)
    }

    @Test("take their own answers and no others", arguments: EnclaveQuestions.all.indices)
    func answers(index: Int) {
        check(EnclaveQuestions.all[index])
    }

    private func check<Question: EnclaveQuestion>(_ type: Question.Type) {
        // One form may answer several questions: that a key was refused, or that something is done.
        let own = Set(MailboxSamples.answers.filter { Swift.type(of: $0) == Question.Answer.self }.map(\.number))
        #expect(!own.isEmpty)
        for answer in MailboxSamples.answers {
            let (body, secrets) = EnclaveMessageCodec.encode(answer)
            let isTaken = (try? EnclaveMessageCodec.decode(Question.Answer.self, body: body, secrets: secrets)) != nil
            #expect(isTaken == own.contains(answer.number), "\(Swift.type(of: answer))")
        }
    }

    @Test("about several keys are answered by as many answers") func counts() {
        let key = CreatedKey(key: MailboxSamples.key, wrapped: [1])
        let creation = CreateKeys(.always, .item, binding: [], count: 2)
        #expect(creation.fits(.success([key, key])) && creation.fits(.failure(.locked)))
        #expect(!creation.fits(.success([key])) && !creation.fits(.success([key, key, key])))
        let unwrapping = UnwrapKeys([WrappedKey(keyClass: .always, use: .item, binding: [], bytes: [])])
        #expect(unwrapping.fits([.refused(.locked)]))
        #expect(!unwrapping.fits([]) && !unwrapping.fits([.refused(.locked), .refused(.locked)]))
        let making = MakeFileKeys(.none, for: [MailboxSamples.file])
        let fileKey = CreatedKey(key: MailboxSamples.key, wrapped: [UInt8](repeating: 1, count: 40))
        #expect(making.fits(.success([fileKey])) && making.fits(.failure(.locked)))
        #expect(!making.fits(.success([])) && !making.fits(.success([fileKey, fileKey])))
        let wrapping = WrapSyncKey(
            MailboxSamples.key, under: .whenUnlockedThisDeviceOnly, binding: MailboxSamples.syncBinding)
        #expect(wrapping.fits(.failure(.locked)))
        for byteCount in [0, 39, 40, 41, 72] {
            #expect(wrapping.fits(.success(RewrappedKey([UInt8](repeating: 1, count: byteCount)))) == (byteCount == 40))
        }
        let description = DescribeKeys([[1], [2]])
        #expect(description.fits([.gone(.deleted), .gone(.deleted)]))
        #expect(!description.fits([]) && !description.fits([.gone(.deleted)]))
    }

    @Test(
        "about the keys of files are answered by keys of the length of their class",
        arguments: FileProtection.allCases)
    func lengths(_ protection: FileProtection) {
        for byteCount in [0, 39, 40, 41, 71, 72, 73] {
            let bytes = [UInt8](repeating: 1, count: byteCount)
            let fits = byteCount == (protection == .completeUnlessOpen ? 72 : 40)
            let made = CreatedKey(key: MailboxSamples.key, wrapped: bytes)
            #expect(MakeFileKeys(protection, for: [MailboxSamples.file]).fits(.success([made])) == fits)
            let rewrapping = RewrapKey(MailboxSamples.fileKey(.complete), to: protection)
            #expect(rewrapping.fits(.success(RewrappedKey(bytes))) == fits)
            #expect((WrappedFileKey(bytes, of: MailboxSamples.file, protection) != nil) == fits)
        }
        #expect(RewrapKey(MailboxSamples.fileKey(.complete), to: protection).fits(.failure(.locked)))
    }

    @Test("with a secret of a person are never sent twice", arguments: MailboxSamples.questions.indices)
    func repetition(_ index: Int) {
        let question = MailboxSamples.questions[index]
        guard !EnclaveMessageCodec.encode(question).secrets.isEmpty else { return }
        #expect(!type(of: question).traits.contains(.repeatable))
    }

    @Test("that may end keys are these") func keyChanges() {
        let changing = EnclaveQuestions.all.filter { $0.traits.contains(.changesKeys) }.map { "\($0)" }
        #expect(
            Set(changing) == [
                "SetPasscode", "ChangePasscode", "RemovePasscode", "UnlockDevice", "LockDevice", "EraseDevice",
                "ConfigureDevice", "AskBiometry", "BeginEnrolment", "ContinueEnrolment", "CancelEnrolment",
                "RemoveFinger", "UnlockWithFinger", "CancelUnlock", "LockRemotely",
            ])
    }

    @Test("that wait for a person are these") func waiting() {
        let waiting = EnclaveQuestions.all.filter { $0.traits.contains(.waitsForPerson) }.map { "\($0)" }
        #expect(Set(waiting) == ["MatchFinger", "ContinueEnrolment", "UnlockWithFinger"])
    }
}
