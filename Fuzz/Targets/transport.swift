import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncTransport

/// A message of the daemon to its transport, or an answer: what is written again after it was read is one form, and is accepted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = Array(UnsafeRawBufferPointer(start: start, count: count))
    if let question = try? TransportCoding.decodeQuestion(body) {
        let again = TransportCoding.encode(question)
        guard let read = try? TransportCoding.decodeQuestion(again) else {
            preconditionFailure("the own question is refused")
        }
        precondition(TransportCoding.encode(read) == again, "a question was read as another than it is")
    }
    for question in questions { readAnswer(to: question, body) }
    return 0
}

/// A question of each number: an answer is read as that to its question.
private let questions: [any TransportQuestion] = {
    guard let circle = CircleIdentifier([UInt8](repeating: 1, count: 16)),
        let device = DeviceIdentifier([UInt8](repeating: 2, count: 16))
    else { preconditionFailure("an identifier has 16 bytes") }
    let seat = CircleSeat(circle: circle, device: device)
    let questions: [any TransportQuestion] = [
        ListCircles(), ListObjects(seat, .heads), ReadObjects(seat, []), CreateObjects(seat, [:]),
        PublishHead(seat, [:], head: [], replacing: nil), RemoveObjects(seat, []), AwaitHint(seat, seconds: 1),
        DescribeStore(),
    ]
    precondition(questions.count == TransportQuestions.all.count, "a question is not fuzzed")
    return questions
}()

private func readAnswer<Question: TransportQuestion>(to question: Question, _ body: [UInt8]) {
    guard let result = try? TransportCoding.decodeAnswer(to: question, body) else { return }
    switch result {
    case .success(let answer):
        let again = TransportCoding.encode(answer, to: question)
        guard case .success? = try? TransportCoding.decodeAnswer(to: question, again) else {
            preconditionFailure("the own answer is refused")
        }
    case .failure(let failure):
        precondition(TransportCoding.encode(failure) == body, "a failure was read as another than it is")
    }
}
