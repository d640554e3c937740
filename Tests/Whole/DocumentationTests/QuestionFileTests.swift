import Testing

/// The sources of both contracts: Docs/Design/019.
@Suite("The questions of both contracts")
struct QuestionFileTests {
    @Test("have a file of their own, which has the name of the question")
    func files() throws {
        let question = /(?m)^package struct (\w+)(?:<[^>]*>)?: [^{]*\b(?:\w*Question|OwnersChange)\b/
        var count = 0
        for file in Project.files(below: "Sources/Contract", suffix: ".swift") {
            for match in try Project.text(file).matches(of: question) {
                count += 1
                #expect(file.hasSuffix("/\(match.1).swift"), "\(match.1) stands in \(file)")
            }
        }
        #expect(count > 80)
    }
}
