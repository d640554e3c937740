import Security
import Testing

@Suite("String constants")
struct ConstantTests {
    @available(*, deprecated)
    @Test("every constant has the value that stored items and other programs rely on")
    func values() {
        #expect(ConstantFixture.all.count == 288)
        for row in ConstantFixture.all {
            #expect(row.constant as String == row.value, "\(row.name)")
        }
    }

    @available(*, deprecated)
    @Test("no constant stands in the table twice")
    func names() {
        #expect(Set(ConstantFixture.all.map(\.name)).count == ConstantFixture.all.count)
    }

    @Test("the shortest and the longest password length have keys of their own")
    func passwordLengths() {
        #expect(kSecPasswordMinLength != kSecPasswordMaxLength)
    }
}
